"""What several threads, and a process that forks, have to agree on: locks, and room on the stack. It loads nothing else."""
