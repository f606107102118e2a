import { readdir, readFile, writeFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { runMain } from '../../../tests/helpers/cli-in-process.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('init')
})

it('makes a project that can be planned at once, and leaves files that are there as they are', async () => {
  await mkdir(join(folder, 'manifests'))
  await writeFile(join(folder, 'manifests/models.yaml'), '# mine\n')
  const made = await runMain(['init', folder], {})
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain(`ladder --project ${folder} --dataset smoke`)
  expect((await readdir(folder)).toSorted()).toEqual(['corpus', 'manifests'])
  expect(await readFile(join(folder, 'manifests/models.yaml'), 'utf8')).toBe('# mine\n')
})

it('refuses a folder that is a project, and more than one folder', async () => {
  await runMain(['init', folder], {})
  expect(await runMain(['init', folder], {})).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/a\s+project\s+already/),
  })
  expect(await runMain(['init', folder, folder], {})).toMatchObject({ code: 2 })
})
