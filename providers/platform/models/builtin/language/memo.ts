const forgetters: (() => void)[] = []

/** Drops the results of all such functions: those of one phase of a large work are seldom of use to the next one. */
export function forgetResults(): void {
  for (const forget of forgetters) forget()
}

/** A pure function of a string that keeps the results of its last `limit` to `2 × limit` different arguments. */
export function memoized<Value>(limit: number, compute: (key: string) => Value): (key: string) => Value {
  // Two generations instead of a linked list: when the young one is full it becomes the old one.
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  forgetters.push(() => {
    young = new Map()
    old = new Map()
  })
  return (key) => {
    const kept = young.get(key)
    if (kept !== undefined) return kept
    const value = old.get(key) ?? compute(key)
    if (young.size >= limit) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    return value
  }
}
