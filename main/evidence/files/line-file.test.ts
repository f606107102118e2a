import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LogFile } from './file-ops.ts'
import { CutFileError, lastLineEnd, scanLines } from './line-file.ts'

/** A file whose reads come back as short as `pieces` defines, over and over. */
function fileOf(bytes: Buffer, pieces: number[]): LogFile {
  let turn = 0
  return {
    async read(into, start, length, position) {
      const count = Math.max(0, Math.min(length, pieces[turn++ % pieces.length]!, bytes.length - position))
      bytes.copy(into, start, position, position + count)
      return count
    },
    write: () => Promise.reject(new Error('read only')),
    sync: async () => undefined,
    state: () => ({ sizeBytes: bytes.length, identity: 'memory' }),
    close: async () => undefined,
  }
}

const lines = fc.array(fc.string({ unit: fc.constantFrom('a', '"', '\\', 'ü'), maxLength: 40 }), { maxLength: 20 })
const pieces = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 })

it('scanLines hands out every complete line with its offset, however short the reads are', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.string({ unit: fc.constantFrom('x', 'y') }), pieces, async (texts, tail, sizes) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join('') + tail)
      const found: [number, string][] = []
      const whole = { from: 0, to: bytes.length }
      await scanLines(fileOf(bytes, sizes), whole, (line, offset) => found.push([offset, line.toString()]))
      let offset = 0
      const expected = texts.map((text) => {
        const entry: [number, string] = [offset, text]
        offset += Buffer.byteLength(text) + 1
        return entry
      })
      expect(found).toEqual(expected)
      expect(await lastLineEnd(fileOf(bytes, sizes), whole)).toBe(offset)
    }),
  )
})

it('scanLines reads lines longer than its buffer', async () => {
  const bytes = Buffer.from(`${'a'.repeat(3_000_000)}\nb\n`)
  const lengths: number[] = []
  await scanLines(fileOf(bytes, [1 << 20]), { from: 0, to: bytes.length }, (line) => lengths.push(line.length))
  expect(lengths).toEqual([3_000_000, 1])
})

it('scanLines rejects when the file ends before the range does', async () => {
  const file = fileOf(Buffer.from('a\n'), [9])
  await expect(scanLines(file, { from: 0, to: 5 }, () => undefined)).rejects.toThrow(CutFileError)
})

it('scanLines rejects with the reason of its signal', async () => {
  const file = fileOf(Buffer.from('a\n'), [9])
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(scanLines(file, { from: 0, to: 2 }, () => undefined, signal)).rejects.toThrow('enough')
})
