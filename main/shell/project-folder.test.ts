import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { makeProject } from '../manifests/project/make-project.ts'
import { chooseProject, isProject } from './project-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('project')
  await mkdir(join(folder, 'template/manifests'), { recursive: true })
  await mkdir(join(folder, 'template/corpus/smoke'), { recursive: true })
  await writeFile(join(folder, 'template/manifests/consumer.yaml'), 'ours')
  await writeFile(join(folder, 'template/corpus/smoke/a.md'), 'a')
})

it('makes a project once and never touches what a person changed', async () => {
  const project = join(folder, 'deep/project')
  expect(isProject(project)).toBe(false)
  await makeProject(project, join(folder, 'template'))
  expect(isProject(project)).toBe(true)
  await writeFile(join(project, 'manifests/consumer.yaml'), 'mine')
  await makeProject(project, join(folder, 'template'))
  expect(await readFile(join(project, 'manifests/consumer.yaml'), 'utf8')).toBe('mine')
  expect(await readFile(join(project, 'corpus/smoke/a.md'), 'utf8')).toBe('a')
})

it('opens the named project, else the last one while it is there, else the usual one', () => {
  const last = join(folder, 'template')
  const usual = join(folder, 'usual')
  expect(chooseProject({ named: '/somewhere', last, usual })).toBe('/somewhere')
  expect(chooseProject({ named: null, last, usual })).toBe(last)
  expect(chooseProject({ named: null, last: join(folder, 'gone'), usual })).toBe(usual)
  expect(chooseProject({ named: null, last: null, usual })).toBe(usual)
})
