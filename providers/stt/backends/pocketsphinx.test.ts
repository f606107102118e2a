import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeLeftovers } from './pocketsphinx.ts'

it('removeLeftovers removes the recordings of killed services at once and keeps those of living or unknown ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leftovers-'))
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  for (const name of [
    `rag-ladder-stt-${dead}-abc`,
    'rag-ladder-stt-AbCdEf',
    `rag-ladder-stt-${process.pid}-def`,
    'other',
  ])
    await mkdir(join(folder, name))
  await removeLeftovers(folder)
  expect((await readdir(folder)).sort()).toEqual(
    ['other', `rag-ladder-stt-${process.pid}-def`, 'rag-ladder-stt-AbCdEf'].sort(),
  )
  await rm(folder, { recursive: true })
})
