import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli } from '../../../tests/helpers/cli.ts'

it.skipIf(process.platform === 'win32')('verify refuses a named pipe instead of waiting for it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'verify-'))
  const pipe = join(folder, 'x-evidence.jsonl')
  execFileSync('mkfifo', [pipe])
  const result = await runCli(['verify', pipe])
  await rm(folder, { recursive: true })
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('is not a regular file')])
})
