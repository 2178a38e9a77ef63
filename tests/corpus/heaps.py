"""Heaps and lists kept in order: of numbers that move, and of tuples of a priority and what it belongs to."""

import bisect
import heapq
import math
from heapq import heappop, heappush

import numpy as np

from tests.corpus.case import at, smooth, vec

VALUES = vec(0.3, 1.21, 0.7, 0.9, 1.7, 0.1)
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (3, 4)]


class Queue:
    def __init__(self):
        self.heap = []

    def put(self, priority, item):
        heapq.heappush(self.heap, (priority, item))

    def get(self):
        return heapq.heappop(self.heap)

    def __len__(self):
        return len(self.heap)


@at((VALUES,), (vec(2.0, 0.1, 0.1, 2.0, 0.3, 0.2),))
def shortest_path(w):
    adjacent = [[] for _ in range(5)]
    for k, (a, b) in enumerate(EDGES):
        adjacent[a].append((b, w[k]))
        adjacent[b].append((a, w[k]))
    distance = [math.inf] * 5
    distance[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > distance[node]:
            continue
        for other, length in adjacent[node]:
            new = d + length
            if new < distance[other]:
                distance[other] = new
                heapq.heappush(heap, (new, other))
    return distance[4] ** 2 + distance[3]


@at((smooth(9),))
def cheapest_way_through_a_grid(x):
    cost, distance = x.reshape(3, 3), np.full((3, 3), np.inf)
    distance[0, 0] = cost[0, 0]
    heap = [(cost[0, 0], 0, 0)]
    while heap:
        d, i, j = heappop(heap)
        if d > distance[i, j]:
            continue
        for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= a < 3 and 0 <= b < 3 and d + cost[a, b] < distance[a, b]:
                distance[a, b] = d + cost[a, b]
                heappush(heap, (distance[a, b], a, b))
    return distance[2, 2] ** 2


@at((VALUES,))
def events_in_the_order_of_their_times(rates):
    queue, total, count = Queue(), 0.0, 0
    for i, rate in enumerate(rates):
        queue.put(rate, i)
    while len(queue) > 0 and count < 12:
        time, i = queue.get()
        total += time * (i + 1) * len(queue)
        count += 1
        if time < 2.0:
            queue.put(time + 0.5 * rates[i] + 0.1, i)
    return total


@at((vec(0.4, 0.1, 0.26, 0.24),))
def code_lengths(p):
    heap, cost = list(p), 0.0
    heapq.heapify(heap)
    while len(heap) > 1:
        a, b = heappop(heap), heappop(heap)
        cost += a + 1.5 * b
        heappush(heap, a + b)
    return cost


@at((VALUES,))
def every_place_of_a_heap(x):
    heap = list(x)
    heapq.heapify(heap)
    total = sum((k + 1) * v for k, v in enumerate(heap))
    total += 2.0 * heapq.heapreplace(heap, 3.0 * x[0]) + heapq.heappushpop(heap, 0.2 * x[1]) * heap[0]
    return total + sum((k + 1) * v * v for k, v in enumerate(heap))


@at((VALUES,))
def nearest_points(x):
    points, center, heap = x.reshape(3, 2), vec(0.5, 0.5), []
    for i in range(3):
        d = np.sum((points[i] - center) ** 2)
        if len(heap) < 2:
            heappush(heap, (-d, i))
        elif -d > heap[0][0]:
            heapq.heapreplace(heap, (-d, i))
    return sum(math.sqrt(-d) * (i + 1) for d, i in heap)


@at((VALUES,))
def first_few(x):
    pairs = [(v, i) for i, v in enumerate(x)]
    near = heapq.nsmallest(2, pairs, key=lambda pair: (pair[0] - 0.8) ** 2)
    large = heapq.nlargest(3, [v * v for v in x])
    return sum(v * (i + 1) for v, i in near) + large[2] * large[0] + sum(heapq.nsmallest(9, x)) ** 2


@at((VALUES,))
def running_median(x):
    low, high, total = [], [], 0.0
    for v in x:
        heappush(low, -heapq.heappushpop(high, v))
        if len(low) > len(high):
            heappush(high, -heappop(low))
        total += high[0] if len(high) > len(low) else (high[0] - low[0]) / 2
    return total


@at((VALUES,))
def kept_in_order(x):
    values, total = [], 0.0
    for v in x:
        bisect.insort(values, v)
        total += values[len(values) // 2] * len(values)
    return total + sum((k + 1) * v for k, v in enumerate(values))


@at((VALUES,))
def ties_and_empty_heaps(x):
    heap, total = [], 0.0
    for i, v in enumerate(x):
        heappush(heap, (round(float(v)), -i, v))
    try:
        for k in range(8):
            total += heappop(heap)[2] * (k + 1)
    except IndexError:
        total += 100.0 * x[0]
    return total


@at((VALUES,))
def heaps_of_constants(x):
    heap, total = [5, 2, 4], 0.0
    heapq.heapify(heap)
    heappush(heap, int(x[1] * 3))
    order = [3, 1]
    bisect.insort(order, 2)
    while heap:
        total = 0.5 * total + heappop(heap) * x[0]
    return total + x[order[1]] * x[heapq.heapreplace(order, 0)]


@at((VALUES, np.array([3, 1, 2, 1, 5, 0])), (VALUES, [3, 1, 2, 1, 5, 0]))
def payloads_by_fixed_priorities(x, priorities):
    heap, total, factor = [], 0.0, 1.0
    for i in range(len(priorities)):
        heappush(heap, (priorities[i], x[i]))
    while heap:
        priority, v = heappop(heap)
        total += v * factor * priority
        factor *= 1.5
    return total
