import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstHeading, firstInvalidOffset, plainTextParser } from './parsers.ts'

const parse = (path: string, content: string | Buffer) =>
  plainTextParser.parse(
    { path, sizeBytes: 0, sha256: '', read: async () => Buffer.from(content) },
    new AbortController().signal,
    async () => [],
  )

describe('plainTextParser', () => {
  it('accepts text files by their ending', () => {
    const accepted = ['a.md', 'b/c.TXT', 'd.rst', 'e.csv', 'f.json', 'g.pdf', 'md', 'h.md.exe'].filter((path) =>
      plainTextParser.accepts({ path }),
    )
    expect(accepted).toEqual(['a.md', 'b/c.TXT', 'd.rst', 'e.csv', 'f.json'])
  })

  it('takes the title from the first heading, else from the file name', async () => {
    expect(await parse('x/locks.md', '\ufeffWords first.\r\n\r\n## Locks ##\r\nText')).toEqual({
      title: 'Locks',
      text: 'Words first.\r\n\r\n## Locks ##\r\nText',
    })
    expect((await parse('x/locks.rst', 'Canal locks\n===========\n')).title).toBe('Canal locks')
    expect((await parse('x/locks.v2.txt', '# not markdown')).title).toBe('locks.v2')
    expect((await parse('data.json', '{"a": 1}')).text).toBe('{"a": 1}')
  })

  it('names the offset of a byte that is not UTF-8', async () => {
    await expect(parse('x.md', Buffer.from([0x61, 0xc3, 0xa9, 0xff, 0x61]))).rejects.toThrow('invalid byte at offset 3')
    await expect(parse('x.md', Buffer.from([0x61, 0xe2, 0x82]))).rejects.toThrow('offset 1')
    await expect(parse('x.md', Buffer.from('häuser', 'latin1'))).rejects.toThrow('offset 1')
    await expect(parse('x.md', Buffer.from([0xed, 0xa0, 0x80]))).rejects.toThrow('offset 0')
  })

  it('finds the end of the valid part of any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 12 }), (text, tail) => {
        const bytes = Buffer.concat([Buffer.from(text), tail])
        const offset = firstInvalidOffset(bytes)
        expect(isUtf8(bytes.subarray(0, offset))).toBe(true)
        expect(offset === bytes.length).toBe(isUtf8(bytes))
        for (let more = 1; more <= 4 && offset + more <= bytes.length; more += 1) {
          expect(isUtf8(bytes.subarray(offset, offset + more))).toBe(false)
        }
      }),
    )
  })
})

it('firstHeading looks past code fences and rules', () => {
  expect(firstHeading('```\n# comment\n```\n\n---\n\n# Real')).toBe('Real')
  expect(firstHeading('no heading\n\nat all')).toBeNull()
  expect(firstHeading('#hashtag\n')).toBeNull()
})
