import { describe, expect, it } from 'vitest'
import { decodedText, TextEncodingError } from './decoded-text.ts'

const TEXT = 'id\tquestion\n1\tWo liegt die Mühle „Tårnby“?\n'

describe('decodedText', () => {
  it('reads what Excel writes: UTF-8 and UTF-16 with a byte order mark, and Windows-1252', () => {
    const utf16 = Buffer.from(`\uFEFF${TEXT}`, 'utf16le')
    const ansi = Buffer.from([0x4d, 0xfc, 0x68, 0x6c, 0x65, 0x20, 0x84, 0x54, 0xe5, 0x72, 0x6e, 0x62, 0x79, 0x93])
    expect(decodedText(Buffer.from(`\uFEFF${TEXT}`))).toBe(TEXT)
    expect(decodedText(Buffer.from(TEXT))).toBe(TEXT)
    expect(decodedText(utf16)).toBe(TEXT)
    expect(decodedText(Buffer.from(utf16).swap16())).toBe(TEXT)
    expect(decodedText(ansi)).toBe('Mühle „Tårnby“')
  })

  it('refuses UTF-16 without a mark, and bytes that are no text, by name', () => {
    expect(() => decodedText(Buffer.from(TEXT, 'utf16le'))).toThrow(
      new TextEncodingError('the text is in UTF-16 without a byte order mark: save it as UTF-8'),
    )
    expect(() => decodedText(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))).toThrow('no text in UTF-8')
  })
})
