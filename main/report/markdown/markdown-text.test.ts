import { expect, it } from 'vitest'
import { code, md } from './markdown-text.ts'

it.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['[x](javascript:alert(1))', '\\[x\\](javascript:alert(1))'],
  ['a | b\n# head', 'a \\| b # head'],
  ['# head', '\\# head'],
  ['1. item', '1\\. item'],
  ['see https://x.test and me@x.test', 'see https&#58;//x.test and me&#64;x.test'],
  ['`code` and *stars*', '\\`code\\` and \\*stars\\*'],
  ['HTTP 500: \u001b[31mboom', 'HTTP 500: boom'],
])('md: %j', (text, expected) => expect(md(text)).toBe(expected))

it('code holds backticks and table borders', () => {
  expect([code('plain'), code('a`b'), code('`'), code('a|b')]).toEqual(['`plain`', '``a`b``', '`` ` ``', '`a\\|b`'])
})
