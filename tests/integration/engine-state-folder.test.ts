import { spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startEngine } from '../helpers/engine-process.ts'

let root: string
let state: string
beforeEach(async () => {
  root = await smokeProject()
  state = join(root, '.rag-ladder')
})
afterEach(async () => {
  spawnSync('umount', [root], { stdio: 'ignore' })
  await rm(root, { recursive: true, force: true })
})

describe('a state folder that an engine cannot use', () => {
  it('because of a file where a folder should be ends the engine at once with the path and what to do', async () => {
    await mkdir(state, { mode: 0o700 })
    await writeFile(join(state, 'runs'), '')
    await expect(startEngine(root)).rejects.toThrow(/exited with 78: engine: .*runs cannot be used \(ENOTDIR\).*move/s)
  })

  it('is reported by serve with its name, and without a stack', async () => {
    await writeFile(state, '')
    const run = await runCli(['serve', '--project', root, '--no-open', '--port', '0'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain(state)
    expect(run.stderr).not.toMatch(/^\s+at /m)
  })

  it('because it is read-only is refused, so that two engines cannot work on it', async (context) => {
    await mkdir(state, { mode: 0o700 })
    const bound = spawnSync('mount', ['--bind', root, root]).status === 0
    if (!bound || spawnSync('mount', ['-o', 'remount,ro,bind', root]).status !== 0)
      context.skip('a read-only file system needs root')
    await expect(startEngine(root)).rejects.toThrow(/exited with 78: engine: .*\.rag-ladder.*\(EROFS\).*writable/s)
  })

  it('because of a folder where a journal or the settings should be is used without them', async () => {
    await mkdir(join(state, 'runs/x.json'), { recursive: true, mode: 0o700 })
    await mkdir(join(state, 'settings.json'))
    const engine = await startEngine(root)
    expect((await engine.client.settings.get()).settings.gateway_url).toBeNull()
    expect(await engine.stop()).toBe(0)
  })
})
