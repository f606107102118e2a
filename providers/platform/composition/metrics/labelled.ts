import type { MetricFamily, Sample } from './text-format.ts'

type Labels = Readonly<Record<string, string>>

/** A value per set of labels, made when the set is first seen. */
function perLabels<Value>(create: () => Value) {
  const entries = new Map<string, { labels: Labels; value: Value }>()
  return {
    of(labels: Labels): Value {
      const key = JSON.stringify(labels)
      const known = entries.get(key) ?? { labels, value: create() }
      entries.set(key, known)
      return known.value
    },
    all: () => [...entries.values()],
  }
}

export interface Counter {
  add(labels: Labels): void
  family(): MetricFamily
}

/** Counts what happens, by labels. */
export function createCounter(name: string, help: string): Counter {
  const counts = perLabels(() => ({ count: 0 }))
  return {
    add(labels) {
      counts.of(labels).count += 1
    },
    family: () => ({
      name,
      help,
      type: 'counter',
      samples: counts.all().map(({ labels, value }) => ({ labels, value: value.count })),
    }),
  }
}

export interface Histogram {
  observe(labels: Labels, value: number): void
  family(): MetricFamily
}

/** Counts values by upper bounds, which ascend; the bucket without bound is added. */
export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const series = perLabels(() => ({ counts: new Array<number>(bounds.length).fill(0), count: 0, sum: 0 }))
  return {
    observe(labels, value) {
      const entry = series.of(labels)
      entry.count += 1
      entry.sum += value
      const bucket = bounds.findIndex((bound) => value <= bound)
      if (bucket >= 0) entry.counts[bucket]! += 1
    },
    family: () => ({
      name,
      help,
      type: 'histogram',
      samples: series.all().flatMap(({ labels, value }) => histogramSamples(labels, bounds, value)),
    }),
  }
}

function histogramSamples(
  labels: Labels,
  bounds: readonly number[],
  { counts, count, sum }: { counts: readonly number[]; count: number; sum: number },
): Sample[] {
  let below = 0
  const buckets = bounds.map((bound, index) => {
    below += counts[index]!
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below }
  })
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ]
}
