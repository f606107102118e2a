/** A list of 32-bit whole numbers that grows: four bytes for each, where a list of JavaScript takes eight and more. */
export interface Numbers {
  readonly length: number
  push(value: number): void
  at(index: number): number
  set(index: number, value: number): void
  /** The numbers, without room for more. Ends the list: `push` throws `TypeError` from then on. */
  done(): Int32Array<ArrayBuffer>
}

/** An empty list. */
export function createNumbers(): Numbers {
  let values = new Int32Array(1024)
  let length = 0
  let isDone = false
  return {
    get length() {
      return length
    },
    push(value) {
      if (isDone) throw new TypeError('a list of numbers does not grow after done()')
      if (length === values.length) values = resized(values, 2 * length)
      values[length] = value
      length += 1
    },
    at: (index) => values[index]!,
    set(index, value) {
      values[index] = value
    },
    done() {
      isDone = true
      return (values = resized(values, length))
    },
  }
}

/**
 * The numbers in an array of another length; the one given is empty after it. Its memory is free at once: V8 collects arrays that are no longer used
 * so late that those of a large graph or index would add up to tens of megabytes.
 */
export const resized = (values: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> =>
  new Int32Array(values.buffer.transfer(length * Int32Array.BYTES_PER_ELEMENT))

/** Frees the memory of arrays that are no longer used; they are empty after it. */
export function release(...arrays: readonly Int32Array<ArrayBuffer>[]): void {
  for (const { buffer } of arrays) buffer.transfer(0)
}

/** Rows in groups: those of group `g` are `rows[from[g]]` up to `rows[from[g + 1]]`, in their former order. */
export interface Groups {
  from: Int32Array<ArrayBuffer>
  rows: Int32Array<ArrayBuffer>
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
  release(next)
  return { from, rows }
}

/** The rows of a group. */
export const rowsOf = ({ from, rows }: Groups, group: number): Int32Array => rows.subarray(from[group], from[group + 1])

/** Values in groups, as `grouped`, by the group of each. */
export function groupedValues(groupOf: Int32Array, groups: number, values: Int32Array): Groups {
  const { from, rows } = grouped(groupOf, groups)
  for (let at = 0; at < rows.length; at += 1) rows[at] = values[rows[at]!]!
  return { from, rows }
}
