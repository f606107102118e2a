import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { withItem } from './append-item.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('withItem', () => {
  it('adds after the last item and leaves comments, blank lines and layout', () => {
    const text = 'version: 1\nlist:\n  # one\n  - id: a\n    tags: [x]   # kept\n\n# what follows\nother: { a: 1 }\n'
    expect(withItem(text, 'f.yaml', 'list', { id: 'b', text: 'it is: "b" # not' })).toBe(
      'version: 1\nlist:\n  # one\n  - id: a\n    tags: [x]   # kept\n' +
        `  - id: b\n    text: 'it is: "b" # not'\n\n# what follows\nother: { a: 1 }\n`,
    )
  })

  it('takes a file without a last line end, and items in one line', () =>
    expect(withItem('list:\n- { id: a }', 'f.yaml', 'list', { id: 'b' })).toBe('list:\n- { id: a }\n- id: b\n'))

  it.each(['list: [{ id: a }]\n', 'list: []\n', 'other: 1\n'])('refuses what is no list of lines: %j', (text) =>
    expect(() => withItem(text, 'f.yaml', 'list', { id: 'b' })).toThrow(/list: is not a list/),
  )

  it.each([
    ['manifests/consumer.yaml', 'ingestion_profiles'],
    ['tests/fixtures/older-layout/datasets.yaml', 'datasets'],
    ['manifests/datasets/graph_native.yaml', 'questions'],
  ])('adds lines to %s and changes none', async (file, key) => {
    const text = await readFile(join(ROOT, file), 'utf8')
    const updated = withItem(text, file, key, { id: 'own', note: 'line one\nline two', list: ['a'] })
    const added = updated.split('\n').filter((line) => !text.split('\n').includes(line))
    expect(added.length).toBeGreaterThan(2)
    let rest = updated
    for (const line of added) rest = rest.replace(`${line}\n`, '')
    expect(rest).toBe(text)
    expect((parse(updated) as Record<string, unknown[]>)[key]!.at(-1)).toMatchObject({ id: 'own' })
  })
})
