import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { readingProblem, loadManifest } from './load-manifest.ts'

const Anything = z.strictObject({ list: z.unknown() })

let root: string
beforeEach(async () => void (root = await temporaryFolder('manifest')))

it('parses a file once while its text stays the same, and again when it changed', async () => {
  const write = (text: string) => writeFile(join(root, 'a.yaml'), text)
  const read = async () => (await loadManifest(root, 'a.yaml', Anything)).list
  await write('list: [1, {two: 2}]')
  const first = await read()
  expect(await read()).toBe(first)
  await write('list: [1, {two: 3}]')
  expect([first, await read()]).toEqual([
    [1, { two: 2 }],
    [1, { two: 3 }],
  ])
  await write('list: [1')
  await expect(read()).rejects.toThrow('a.yaml:1')
})

it('gives a value that no reader can change for the others', async () => {
  await writeFile(join(root, 'a.yaml'), 'list: [1, {two: 2}]')
  const { list } = await loadManifest(root, 'a.yaml', Anything)
  expect(() => (list as unknown[]).push(3)).toThrow(TypeError)
  expect(() => Object.assign((list as object[])[1]!, { two: 4 })).toThrow(TypeError)
})

it.each([
  [
    'ETIMEDOUT',
    'reading the file timed out: the drive or network folder that holds it does not answer. Check it, then try again',
  ],
  ['EIO', 'the file cannot be read (EIO): check the path and its permissions'],
  ['ENOENT', 'there is no such file: create it, or correct the path'],
])('a manifest whose reading ends with %s says so', (code, problem) => {
  expect(readingProblem(Object.assign(new Error(code), { code, syscall: 'read' }), null)).toBe(problem)
})
