import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashEmbeddings } from '../../../../tests/helpers/hash-embedding.ts'
import type { Chunk } from '../../../../contract/http/chunk.ts'
import { chunkText, type ChunkSettings } from '../../../../core/chunking/chunk-text.ts'
import { ChunkingError } from '../../../../core/chunking/errors.ts'
import { chunkTextWith } from './chunk-in-turns.ts'

const contents = (settings: ChunkSettings): string[] => chunkText(settings).map(({ content }) => content)

const recursive = (text: string, size: number, overlap = 0): string[] =>
  contents({ text, strategy: 'recursive', chunk_size: size, overlap })

describe('a long text', () => {
  const text = 'The ferry Marigold runs from Tidewater Quay since 2001.\n\n'.repeat(20_000)

  it.each(['recursive', 'token'] as const)('lets other requests run while it is cut: %s', async (strategy) => {
    const settings = { text, strategy, chunk_size: 400, overlap: 40 }
    let turns = 0
    let isCut = false
    const isDone = (): boolean => isCut
    const cut = chunkTextWith(settings, hashEmbeddings).finally(() => (isCut = true))
    while (!isDone()) {
      await nextTurn()
      turns += 1
    }
    expect((await cut).chunks).toEqual(chunkText(settings))
    expect(turns).toBeGreaterThan(5)
  })
})

describe('recursive', () => {
  it('keeps a short text whole, without the blanks around it', () => {
    expect(chunkText({ text: '\n  One bridge. \t', strategy: 'recursive', chunk_size: 50, overlap: 5 })).toEqual([
      { index: 0, start_char: 3, end_char: 14, content: 'One bridge.', token_count: 3, metadata: {} },
    ])
    expect(recursive(' \n\t ', 50)).toEqual([])
  })

  it('prefers a paragraph to a line, a line to a sentence, a sentence to a word', () => {
    expect(recursive('First part here.\n\nSecond part. Third\nline', 30)).toEqual([
      'First part here.',
      'Second part. Third\nline',
    ])
    expect(recursive('First part here.\nSecond part. Third line', 30)).toEqual([
      'First part here.',
      'Second part. Third line',
    ])
    expect(recursive('First part here. Second part goes on', 30)).toEqual(['First part here.', 'Second part goes on'])
    expect(recursive('First part here, second part goes on', 30)).toEqual(['First part here, second part', 'goes on'])
  })

  it('does not make a chunk of a heading alone', () => {
    const text = `Locks\n\n${'The upper gate is opened when the levels are equal. '.repeat(4)}`
    expect(recursive(text, 100)[0]).toBe('Locks\n\nThe upper gate is opened when the levels are equal.')
  })

  it('takes no initial, abbreviation or decimal for the end of a sentence', () => {
    expect(recursive('It was J. Brown and Dr. Green at 3.5 metres. Then it rained on all of them', 46)).toEqual([
      'It was J. Brown and Dr. Green at 3.5 metres.',
      'Then it rained on all of them',
    ])
    expect(recursive('多くの橋がある。水門は閉じた。次の船が来る。', 10)).toEqual([
      '多くの橋がある。',
      '水門は閉じた。',
      '次の船が来る。',
    ])
  })

  it('starts the next chunk up to the overlap back, at a sentence or else a word', () => {
    expect(recursive('Alpha beta gamma. Delta epsilon zeta. Eta theta iota.', 38, 20)).toEqual([
      'Alpha beta gamma. Delta epsilon zeta.',
      'Delta epsilon zeta. Eta theta iota.',
    ])
    expect(recursive('alpha beta gamma delta epsilon zeta', 22, 8)).toEqual([
      'alpha beta gamma delta',
      'delta epsilon zeta',
    ])
  })

  it('splits a run without breaks and overlaps it exactly', () => {
    expect(recursive('abcdefghij', 4, 1)).toEqual(['abcd', 'defg', 'ghij'])
    expect(recursive('😀😀😀', 3, 0)).toEqual(['😀', '😀', '😀'])
    // A pair is the smallest piece there is.
    expect(recursive('a😀b', 1, 0)).toEqual(['a', '😀', 'b'])
  })

  it('is near-linear on a million characters', () => {
    const paragraph = 'The lock keeper wrote the height of the water in a book every evening. No one read it. '
    const prose = (paragraph.repeat(7) + '\n\n').repeat(1640).slice(0, 1_000_000)
    // Processor time of this thread: other processes do not count. Ten texts of a tenth take about as long as the whole, so that both are measured alike.
    const timed = (...texts: string[]): number => {
      const start = process.threadCpuUsage()
      for (const text of texts) chunkText({ text, strategy: 'recursive', chunk_size: 800, overlap: 100 })
      const { user, system } = process.threadCpuUsage(start)
      return (user + system) / 1000
    }
    const parts = Array.from({ length: 10 }, (_, at) => prose.slice(at * 100_000, (at + 1) * 100_000))
    timed(prose)
    const tenths = Math.min(timed(...parts), timed(...parts), timed(...parts))
    const whole = Math.min(timed(prose), timed(prose), timed(prose))
    expect(whole / tenths).toBeLessThan(3)
    for (const hard of [
      'x'.repeat(1_000_000),
      ' '.repeat(999_999) + 'x',
      '. '.repeat(500_000),
      '\n'.repeat(999_999) + 'x',
    ]) {
      expect(timed(hard)).toBeLessThan(10_000)
    }
  })
})

describe('token', () => {
  it('counts tokens, and ends and starts at words', () => {
    const text = 'one two three, four five six seven eight'
    expect(contents({ text, strategy: 'token', chunk_size: 4, overlap: 2 })).toEqual([
      'one two three,',
      'three, four five',
      'four five six seven',
      'six seven eight',
    ])
  })

  it('refuses a tokenizer it does not have', () => {
    const settings = { text: 'one', strategy: 'token' as const, chunk_size: 4, overlap: 0, tokenizer: 'gpt2' }
    expect(() => chunkText(settings)).toThrow("unknown tokenizer 'gpt2' (available: words, characters)")
    expect(() => chunkText({ ...settings, tokenizer: 'constructor' })).toThrow(ChunkingError)
  })
})

describe('semantic', () => {
  const tea =
    'Green tea leaves are steamed. Black tea leaves oxidise. Tea leaves are rolled and dried. Tea leaves travel far. '
  const locks =
    'A canal lock holds a boat. The canal lock gate opens. Water fills the canal lock. The canal lock gate closes.'

  it('parts the text where the subject changes', async () => {
    const { chunks, similarityCut } = await chunkTextWith(
      {
        text: tea + locks,
        strategy: 'semantic',
        chunk_size: 500,
        overlap: 0,
        min_characters_per_sentence: 10,
        semantic_threshold: 0.6,
      },
      hashEmbeddings,
    )
    expect(chunks.map(({ content }) => content)).toEqual([tea.trim(), locks])
    expect(similarityCut).toBeGreaterThan(0)
  })

  it('leaves a text of one subject whole, and any text at threshold 0', async () => {
    const settings = { strategy: 'semantic' as const, chunk_size: 500, overlap: 0, min_characters_per_sentence: 10 }
    const same = 'Water fills the canal lock. '.repeat(8)
    expect((await chunkTextWith({ ...settings, text: same }, hashEmbeddings)).chunks).toHaveLength(1)
    const count = async (threshold: number) =>
      (await chunkTextWith({ ...settings, text: tea + locks, semantic_threshold: threshold }, hashEmbeddings)).chunks
        .length
    expect(await count(0)).toBe(1)
    expect(await count(0.6)).toBe(2)
    expect(await count(1)).toBeGreaterThanOrEqual(2)
  })

  it('reports a missing, failing or miscounting embedding model', async () => {
    const settings = { text: tea + locks, strategy: 'semantic' as const, chunk_size: 500, overlap: 0 }
    expect(() => chunkText(settings)).toThrow(ChunkingError)
    await expect(chunkTextWith(settings, () => Promise.reject(new Error('down')))).rejects.toMatchObject({
      code: 'embedding_failed',
    })
    await expect(chunkTextWith(settings, () => Promise.resolve([]))).rejects.toMatchObject({ code: 'embedding_failed' })
  })
})

describe('every strategy, whatever the text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          'word',
          'a',
          '. ',
          ' ',
          '\n',
          '\n\n',
          '\r\n',
          '😀',
          '\ud83d',
          '漢字',
          '。',
          'E-4471',
          '\u00a0',
          '\u0301',
          'x'.repeat(30),
        ),
        { maxLength: 80 },
      )
      .map((parts) => parts.join('')),
  )
  const sizes = fc
    .integer({ min: 1, max: 60 })
    .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 })))

  const smallest = (text: string, chunk: Chunk): boolean =>
    chunk.content.length === 2 && text.codePointAt(chunk.start_char)! > 0xffff

  function checkInvariants(
    text: string,
    chunks: readonly Chunk[],
    size: number,
    overlap: number,
    unit: 'characters' | 'tokens',
  ): void {
    const covered = new Uint8Array(text.length)
    chunks.forEach((chunk, index) => {
      expect(chunk.index).toBe(index)
      expect(chunk.content).toBe(text.slice(chunk.start_char, chunk.end_char))
      expect(chunk.content).not.toBe('')
      expect(chunk.content).toBe(chunk.content.trim())
      expect(chunk.token_count).toBeGreaterThan(0)
      if (unit === 'tokens') expect(chunk.token_count).toBeLessThanOrEqual(size)
      else expect(chunk.content.length <= size || (size === 1 && smallest(text, chunk))).toBe(true)
      for (const offset of [chunk.start_char, chunk.end_char]) {
        expect(/[\ud800-\udbff]$/.test(text.slice(0, offset)) && /^[\udc00-\udfff]/.test(text.slice(offset))).toBe(
          false,
        )
      }
      covered.fill(1, chunk.start_char, chunk.end_char)
      const former = chunks[index - 1]
      if (former === undefined) return
      expect(chunk.start_char).toBeGreaterThan(former.start_char)
      expect(chunk.end_char).toBeGreaterThan(former.end_char)
      if (unit === 'characters') expect(former.end_char - chunk.start_char).toBeLessThanOrEqual(overlap)
    })
    for (let offset = 0; offset < text.length; offset += 1) {
      if (covered[offset] === 0) expect(text[offset]!.trim()).toBe('')
    }
  }

  it('recursive', () => {
    fc.assert(
      fc.property(anyText, sizes, (text, [size, overlap]) => {
        checkInvariants(
          text,
          chunkText({ text, strategy: 'recursive', chunk_size: size, overlap }),
          size,
          overlap,
          'characters',
        )
      }),
      { numRuns: 1000 },
    )
  })

  it.each(['words', 'characters'])('token (%s)', (tokenizer) => {
    fc.assert(
      fc.property(anyText, sizes, (text, [size, overlap]) => {
        checkInvariants(
          text,
          chunkText({ text, strategy: 'token', chunk_size: size, overlap, tokenizer }),
          size,
          overlap,
          'tokens',
        )
      }),
      { numRuns: 500 },
    )
  })

  it('semantic', async () => {
    const noise = async (texts: string[]) =>
      texts.map((text) => new Float32Array([text.length % 3, (text.length % 5) - 2, 1]))
    await fc.assert(
      fc.asyncProperty(
        anyText,
        sizes,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (text, [size, overlap], threshold) => {
          const settings = {
            text,
            strategy: 'semantic' as const,
            chunk_size: size,
            overlap,
            semantic_threshold: threshold,
            min_characters_per_sentence: 3,
          }
          checkInvariants(text, (await chunkTextWith(settings, noise)).chunks, size, overlap, 'characters')
        },
      ),
      { numRuns: 500 },
    )
  })

  it('overlaps wherever a word fits into the overlap', () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 30, maxLength: 120 })
      .map((list) => list.join(' '))
    fc.assert(
      fc.property(words, fc.constantFrom('recursive' as const, 'token' as const), (text, strategy) => {
        const settings = strategy === 'token' ? { chunk_size: 12, overlap: 4 } : { chunk_size: 80, overlap: 20 }
        const chunks = chunkText({ text, strategy, ...settings })
        chunks.slice(1).forEach((chunk, index) => expect(chunk.start_char).toBeLessThan(chunks[index]!.end_char))
      }),
    )
  })
})
