import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { nodeFileOps } from '../files/file-ops.ts'
import { LockFolder } from './lock-folder.ts'

async function temporaryFile(): Promise<string> {
  const folder = await temporaryFolder('locks')
  return join(folder, 'x')
}

async function openLocks(file: string): Promise<LockFolder> {
  const locks = await LockFolder.open(file, nodeFileOps)
  onTestFinished(() => locks.close())
  return locks
}

/** A process that takes the lock (and registers as an owner), reports it, and keeps it until it is killed. */
async function holderOf(file: string) {
  const script = `
    import { LockFolder } from ${JSON.stringify(join(import.meta.dirname, 'lock-folder.ts'))}
    import { nodeFileOps } from ${JSON.stringify(join(import.meta.dirname, '../files/file-ops.ts'))}
    const locks = await LockFolder.open(${JSON.stringify(file)}, nodeFileOps)
    await locks.exclusive(() => {
      locks.register()
      console.log(locks.owner)
      return new Promise(() => setInterval(() => {}, 1000))
    })`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, owner: output.toString().trim() }
}

describe('LockFolder', () => {
  it('lets one at a time in, within a process and between connections', async () => {
    const file = await temporaryFile()
    const locks = [await openLocks(file), await openLocks(file)]
    let inside = 0
    let most = 0
    const visit = async () => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise(setImmediate)
      inside -= 1
    }
    await Promise.all(Array.from({ length: 40 }, (_, turn) => locks[turn % 2]!.exclusive(visit)))
    expect(most).toBe(1)
  })

  it('does not let a busy holder starve the others', async () => {
    const file = await temporaryFile()
    const [busy, other] = [await openLocks(file), await openLocks(file)]
    const state = { stop: false }
    let turns = 0
    const greedy = (async () => {
      while (!state.stop) {
        turns += 1
        await busy.exclusive(() => new Promise((resolve) => setTimeout(resolve, 2)))
      }
    })()
    while (turns === 0) await new Promise(setImmediate)
    const before = turns
    await other.exclusive(async () => undefined)
    expect(turns - before).toBeLessThan(10)
    state.stop = true
    await greedy
  })

  it('frees a killed process’s lock at once, and sees that its owner is dead', async () => {
    const file = await temporaryFile()
    const { child, owner } = await holderOf(file)
    const locks = await openLocks(file)
    expect(locks.others()).toEqual([owner])
    expect(locks.isAlive(owner)).toBe(true)
    const stop = AbortSignal.timeout(50)
    await expect(locks.exclusive(async () => undefined, stop)).rejects.toThrow()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(locks.isAlive(owner)).toBe(false)
    expect(await locks.exclusive(async () => 'in')).toBe('in')
    await locks.forget(owner)
    expect(locks.others()).toEqual([])
    expect(locks.isAlive(owner)).toBe(false)
  })

  it('continues after work that failed', async () => {
    const locks = await openLocks(await temporaryFile())
    await expect(locks.exclusive(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    expect(await locks.exclusive(async () => 1)).toBe(1)
  })

  it('notices that its lock file was replaced', async () => {
    const file = await temporaryFile()
    const locks = await openLocks(file)
    expect(locks.isIntact()).toBe(true)
    await rm(`${file}.lock`, { recursive: true })
    expect(locks.isIntact()).toBe(false)
    await mkdir(`${file}.lock`)
    await openLocks(file)
    expect(locks.isIntact()).toBe(false)
  })
})
