import { closeSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { BlockReader, linesOf } from './line-blocks.ts'

it('hands out every complete line once, whatever the size of lines and blocks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'blocks-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'lines')
  const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(3000)), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(50), fc.integer({ min: 1, max: 500 }), async (lengths, torn, blockBytes) => {
      const lines = lengths.map((length, index) => String(index % 10).repeat(length))
      await writeFile(path, lines.map((line) => `${line}\n`).join('') + 'x'.repeat(torn))
      const size = lines.reduce((sum, line) => sum + line.length + 1, torn)
      const fd = openSync(path, 'r')
      const reader = new BlockReader()
      const found: string[] = []
      let from = 0
      let offset = 0
      for (;;) {
        const block = reader.read(fd, { from, to: size }, blockBytes)
        if (block === null) break
        for (const { line, offset: at } of linesOf(block)) {
          expect(at).toBe(offset)
          found.push(line.toString())
          offset += line.length + 1
        }
        from += block.bytes.length
        if (block.isLast) expect(from).toBe(size - torn)
      }
      closeSync(fd)
      expect(found).toEqual(lines)
      expect(from).toBe(size - torn)
    }),
    { numRuns: 60 },
  )
})
