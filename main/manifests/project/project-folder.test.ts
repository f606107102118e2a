import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { missingFolder, projectProblem } from './project-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('project')
})

it('names the folder and what is wrong with it', async () => {
  const missing = join(folder, 'nope')
  const file = join(folder, 'file')
  await writeFile(file, '')
  expect(projectProblem(missing)).toBe(`--project: ${missing}: there is no such folder`)
  expect(projectProblem(file)).toBe(`--project: ${file} is not a folder`)
  expect([missingFolder(folder), projectProblem(folder)]).toEqual([
    null,
    `--project: ${folder} holds no manifests/consumer.yaml: name the folder of a project, or make one there with "rag-ladder init"`,
  ])
  await mkdir(join(folder, 'manifests'))
  await writeFile(join(folder, 'manifests/consumer.yaml'), '')
  expect(projectProblem(folder)).toBeNull()
})
