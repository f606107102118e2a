import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { readManifest } from './manifest-file.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const Schema = z.strictObject({ name: z.string(), list: z.array(z.strictObject({ size: z.int() })).optional() })

const folder = suiteFolder('manifest-file')

async function read(text: string) {
  const file = join(folder, 'm.yaml')
  await writeFile(file, text)
  const outcome = readManifest(file, Schema)
  return outcome.ok ? [outcome.value] : outcome.problems.map((problem) => problem.replace(file, 'FILE'))
}

it('reads what fits its schema', async () => {
  expect(await read('name: a\nlist:\n  - { size: 3 }\n')).toEqual([{ name: 'a', list: [{ size: 3 }] }])
})

it.each([
  ['unknown field', 'name: a\nlist: [{ size: 1, sise: 2 }]', ['FILE: list[0].sise: unknown field']],
  [
    'two faults',
    'list: [{ size: x }]',
    ['FILE: name: missing, a text is required', 'FILE: list[0].size: a number is required, not a text'],
  ],
  ['duplicate key', 'name: a\nname: b', ['FILE: Map keys must be unique at line 2, column 1:']],
  [
    'alias without anchor',
    'name: *n',
    ['FILE: too many YAML aliases, or one without its anchor: write the values out'],
  ],
  [
    'bomb',
    `a: &a [x, x]\nb: &b [${'*a, '.repeat(9)}]\nc: &c [${'*b, '.repeat(9)}]\nname: [*c, *c]`,
    ['FILE: too many YAML aliases, or one without its anchor: write the values out'],
  ],
  ['empty file', '', ['FILE: (root): a map of fields is required, not null']],
])('refuses: %s', async (_name, text, problems) => {
  expect(await read(text)).toEqual(problems)
})

it('refuses broken syntax, absurd nesting and absurd size with a sentence', async () => {
  expect(await read('name: [a')).toEqual([expect.stringMatching(/^FILE: .*flow sequence/i)])
  const nested = await read('['.repeat(100_000))
  expect(nested.length).toBeLessThanOrEqual(5)
  expect(nested[0]).toMatch(/^FILE: /)
  expect(await read(`name: ${'x'.repeat(17_000_000)}`)).toEqual(['FILE: larger than 16777216 bytes'])
})
