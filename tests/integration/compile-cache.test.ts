import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CONFIG_EXIT_CODE } from '../../core/process-exit.ts'
import { programFile } from '../helpers/program.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

it('engine and platform, which run with other flags, keep compiled code apart', async () => {
  const folder = await temporaryFolder()
  // Settings that are refused end each of them before it listens.
  const env = { PATH: process.env['PATH'], TMPDIR: folder, TEMP: folder, PLATFORM_PORT: 'none' }
  for (const entry of ['main/engine/index.ts', 'providers/platform/index.ts']) {
    const child = fork(programFile(entry), { env, execArgv: [], stdio: 'ignore' })
    expect(await once(child, 'exit')).toEqual([CONFIG_EXIT_CODE, null])
  }
  expect(await readdir(join(folder, 'node-compile-cache'))).toHaveLength(2)
})
