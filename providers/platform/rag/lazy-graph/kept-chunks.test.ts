import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keepChunks } from './kept-chunks.ts'

it('kept chunks are equal to those that were given, to the last code unit', async () => {
  const text = fc.string({ unit: 'binary' })
  const place = fc.nat(2 ** 31 - 1)
  const chunk = fc
    .record({ document: text, title: text, content: text, indexText: fc.option(text) })
    .chain((texts) =>
      fc
        .record({ chunkIndex: place, startChar: place, endChar: place })
        .map((places) => ({ ...texts, ...places, indexText: texts.indexText ?? texts.content })),
    )
  await fc.assert(
    fc.asyncProperty(fc.array(chunk), async (chunks) => {
      const kept = await keepChunks(chunks)
      expect([...kept]).toEqual(chunks)
      expect(kept).toHaveLength(chunks.length)
      expect(chunks.map((_, at) => kept.at(at))).toEqual(chunks)
      expect([kept.at(-1), kept.at(chunks.length)]).toEqual([undefined, undefined])
    }),
  )
})
