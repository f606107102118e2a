import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { readYamlQuickly } from './quick-yaml.ts'

const ROOT = join(import.meta.dirname, '../manifests')
const manifests = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

/** Returns what the full parser makes of a text, with the order of members; null where it reports a problem. */
function fullyParsed(text: string): { value: unknown; json: string } | null {
  const document = parseDocument(text, { uniqueKeys: true, strict: true, merge: true, prettyErrors: false })
  if (document.errors.length > 0) return null
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  return { value, json: JSON.stringify(value) }
}

const quicklyParsed = (text: string): ReturnType<typeof fullyParsed> => {
  const quick = readYamlQuickly(text)
  return quick && { value: quick.value, json: JSON.stringify(quick.value) }
}

it.each(manifests)('reads manifests/$file without the full parser, as the full parser does', ({ text }) => {
  expect(quicklyParsed(text)).toEqual(fullyParsed(text))
})

it.each([
  [
    'numbers',
    'a: [0, -0, 1, 1., .5, 1e3, -2.5E-1, 0x1f, 0o7, 007, +1, 1_0, 0b1, 12345678901234567890, .inf, -.inf, -.5]',
  ],
  [
    'words that YAML 1.1 takes for values',
    'a: [yes, no, on, off, y, n, true, True, FALSE, null, ~, Null]\nb:\nc: 2020-01-01\nd: 1:30',
  ],
  ['quoted texts', `a: "eins\\n\\u00e9 \\"zwei\\""\nb: 'it''s'\nc: "1"\nd: '#'`],
  ['texts of several lines', 'a: one\n  two\n\n  three\nb: >-\n  one\n  two\nc: |\n  one\n\n  two\nd: |+\n  one\n\n'],
  ['comments and what only looks like one', '# first\na: b # rest\nc: d#e\nf: "g # h"\n\n'],
  ['lists in and below maps', 'a:\n- b: 1\n  c: 2\n-   - 3\n    - 4\nd:\n  - [5, { e: 6 }]\n'],
  ['flow collections of several lines', 'a: [\n  1,\n  { b: 2, },\n  ]\n"c": { "d": [] }'],
  ['anchors, aliases and merged maps', 'a: &a { b: 1, c: 2 }\nd: { <<: *a, c: 3 }\ne:\n  <<: *a\n  b: 4\nf: *a'],
  ['line ends of Windows', 'a: 1\r\nb:\r\n  - c\r\n'],
  ['the mark of one document', '---\na: 1\n...\n'],
])('reads %s as the full parser does', (_name, text) => {
  expect(quicklyParsed(text)).toEqual(fullyParsed(text))
})

it.each([
  ['a key twice', 'a: 1\nb: 2\na: 3'],
  ['a key twice on one line', 'a: { b: 1, b: 2 }'],
  ['an alias before its anchor', 'a: *b\nb: &b 1'],
  ['many aliases', `a: &a [1]\nb: [${'*a, '.repeat(11)}]`],
  ['an open bracket', 'a: [1, 2'],
  ['an open quote', 'a: "b'],
  ['a hundred thousand brackets', `a: ${'['.repeat(100_000)}`],
  ['a tab as indent', 'a:\n\tb: 1'],
  ['an unknown tag', 'a: !local b'],
  ['two documents', 'a: 1\n---\nb: 1'],
  ['an empty text', ''],
])('leaves to the full parser: %s', (_name, text) => {
  expect(readYamlQuickly(text)).toBeNull()
})

it('changes the prototype of no object by a key named __proto__', () => {
  const { value } = readYamlQuickly('__proto__: { a: 1 }') ?? { value: {} }
  expect((value as { a?: number }).a).toBeUndefined()
})
