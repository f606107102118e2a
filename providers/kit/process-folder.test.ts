import { spawnSync } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeAbandonedFolders } from './process-folder.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'

it('removeAbandonedFolders removes the folders of killed processes and keeps those of running or unknown ones', async () => {
  const folder = await temporaryFolder('abandoned')
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  for (const name of [
    `rag-ladder-stt-${dead}-abc`,
    'rag-ladder-stt-AbCdEf',
    `rag-ladder-stt-${process.pid}-def`,
    'other',
  ])
    await mkdir(join(folder, name))
  removeAbandonedFolders('rag-ladder-stt-', folder)
  expect((await readdir(folder)).sort()).toEqual(
    ['other', `rag-ladder-stt-${process.pid}-def`, 'rag-ladder-stt-AbCdEf'].sort(),
  )
})
