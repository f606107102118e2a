import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { oneLine, sanitizeForTerminal } from './sanitize-for-terminal.ts'

describe('sanitizeForTerminal', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['cursor moves', 'a\u001b[2J\u001b[10;5Hb', 'ab'],
    ['a window title', '\u001b]0;owned\u0007text', 'text'],
    ['a link', '\u001b]8;;http://x\u001b\\shown\u001b]8;;\u001b\\', 'shown'],
    ['no text of a title without an end', 'a\u001b]0;owned', 'a0;owned'],
    ['clipboard writes', '\u001bP1$r\u001b\\x', 'x'],
    ['one-byte forms', '\u009b31mred\u009d0;t\u009c.', 'red.'],
    ['other escapes', '\u001bcreset\u001b(Bx', 'resetx'],
    ['text that turns', 'a\u202eb\u2066c\u200bd', 'abcd'],
    ['carriage returns', 'safe\rEVIL\r\nline', 'safe\nEVIL\nline'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
    ['NUL, bell and backspace', 'a\u0000b\u0007c\u0008d', 'abcd'],
    ['tabs', 'a\tb', 'a b'],
  ])('takes out %s', (_what, text, expected) => expect(sanitizeForTerminal(text)).toBe(expected))

  it('leaves plain text of any language alone', () => {
    const text = 'Größe 日本語 ● ◐ 0.83 ± 0.06 — “quoted” 🎉'
    expect(sanitizeForTerminal(text)).toBe(text)
  })

  it('leaves no control character but line ends, whatever comes', () => {
    const unit = fc.oneof(
      fc.constantFrom('\u001b', '[', ']', '3', 'm', '\u0007', '\u009b', '\u009d', 'P', '\\', ';', '\n'),
      fc.string({ maxLength: 1, unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(sanitizeForTerminal(text)).not.toMatch(/[^\P{Cc}\n]/u)
        expect(oneLine(text)).not.toMatch(/\n/)
      }),
    )
  })
})
