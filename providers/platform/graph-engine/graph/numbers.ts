/** A list of 32-bit whole numbers that grows: four bytes for each, where a list of JavaScript takes eight and more. */
export interface Numbers {
  readonly length: number
  push(value: number): void
  at(index: number): number
  set(index: number, value: number): void
  /** The numbers so far, without room for more. */
  done(): Int32Array
}

/** An empty list. */
export function createNumbers(): Numbers {
  let values = new Int32Array(1024)
  let length = 0
  return {
    get length() {
      return length
    },
    push(value) {
      if (length === values.length) {
        const larger = new Int32Array(length * 2)
        larger.set(values)
        values = larger
      }
      values[length] = value
      length += 1
    },
    at: (index) => values[index]!,
    set(index, value) {
      values[index] = value
    },
    done: () => values.slice(0, length),
  }
}

/** Rows in groups: those of group `g` are `rows[from[g]]` up to `rows[from[g + 1]]`, in their former order. */
export interface Groups {
  from: Int32Array
  rows: Int32Array
}

/** Groups the rows 0, 1, 2 … by the group of each. */
export function grouped(groupOf: Int32Array, groups: number): Groups {
  const from = new Int32Array(groups + 1)
  for (const group of groupOf) from[group + 1]! += 1
  for (let group = 0; group < groups; group += 1) from[group + 1]! += from[group]!
  const next = from.slice(0, groups)
  const rows = new Int32Array(groupOf.length)
  for (let row = 0; row < groupOf.length; row += 1) {
    const group = groupOf[row]!
    rows[next[group]!] = row
    next[group]! += 1
  }
  return { from, rows }
}
