import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAlive } from '../helpers/processes.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import { ServiceUnhealthyError, SupervisedService, type ServiceSpec } from '../../main/supervisor/supervised-service.ts'
import type { ServiceState } from '../../main/supervisor/service-state.ts'

const ENTRY = fileURLToPath(new URL('../helpers/child-service.ts', import.meta.url))

let folder: string
let journal: string
let services: SupervisedService[]

beforeEach(async () => {
  folder = await temporaryFolder('supervisor')
  journal = join(folder, 'journal')
  services = []
})
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()))
})

function service(fault: string, more: Partial<ServiceSpec> = {}): SupervisedService {
  const spec: ServiceSpec = {
    name: 'fixture',
    launch: { entry: ENTRY, env: { FAULT: fault, JOURNAL: journal } },
    probe: async (url) => (await (await fetch(url)).text()) === 'ok',
    graceMs: 300,
    ...more,
  }
  const made = new SupervisedService(spec, createNodeLauncher())
  services.push(made)
  return made
}

const reached = (made: SupervisedService, name: ServiceState['name']): Promise<ServiceState> =>
  new Promise((resolve) => {
    const off = made.onState((state) => {
      if (state.name !== name) return
      off()
      resolve(state)
    })
  })

const pidOf = async (word: string): Promise<number> =>
  Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(await readFile(journal, 'utf8'))![1])

describe('SupervisedService', () => {
  it('starts on a free port and stops by closing the channel', async () => {
    const made = service('none')
    const url = await made.start()
    expect(await (await fetch(url)).text()).toBe('ok')
    await made.stop()
    expect(made.state.name).toBe('stopped')
    expect(await readFile(journal, 'utf8')).toMatch(/^start \d+\nchannel closed\n$/)
    expect(isAlive(await pidOf('start'))).toBe(false)
  })

  it('restarts a crashed service by itself', async () => {
    const made = service('none')
    const url = await made.start()
    const ready = reached(made, 'ready')
    await fetch(`${url}/crash`).catch(() => undefined)
    await ready
    expect(await (await fetch(made.url!)).text()).toBe('ok')
    expect((await readFile(journal, 'utf8')).match(/start/g)).toHaveLength(2)
  })

  it('does not call a service ready whose probe fails, and gives its last lines when it fails for good', async () => {
    const made = service('crash')
    const backoff = reached(made, 'backoff')
    const started = made.start()
    await backoff
    expect(made.log.lines()).toEqual(['cannot open the model'])
    await made.stop()
    await expect(started).rejects.toThrow(/fixture does not run: it was stopped\n {2}cannot open the model/)
  })

  it('kills one that never becomes ready', async () => {
    const made = service('never-ready', { startTimeoutMs: 1500 })
    const backoff = reached(made, 'backoff')
    void made.start().catch(() => undefined)
    expect(await backoff).toMatchObject({ failure: 'start_timeout' })
  })

  it('fails the start at once with what a service says is wrong, and starts again one whose probe breaks', async () => {
    const broken = service('none', { probe: () => Promise.reject(new ServiceUnhealthyError('install the recognizer')) })
    await expect(broken.start()).rejects.toThrow('fixture does not run: install the recognizer')
    const other = service('none', { probe: async () => false })
    const backoff = reached(other, 'backoff')
    void other.start().catch(() => undefined)
    expect(await backoff).toMatchObject({ failure: 'unresponsive' })
  })

  it('kills one that ignores requests and SIGTERM', async () => {
    const made = service('ignore-stop')
    await made.start()
    await made.stop()
    expect(isAlive(await pidOf('start'))).toBe(false)
    expect(await readFile(journal, 'utf8')).toContain('ignored SIGTERM')
  })

  it('restarts one that is alive and does not answer, and logs why', async () => {
    const made = service('none', { watch: { everyMs: 50, timeoutMs: 400, failures: 3 } })
    const url = await made.start()
    const pid = await pidOf('start')
    const [backoff, ready] = [reached(made, 'backoff'), reached(made, 'ready')]
    void fetch(`${url}/hang`).catch(() => undefined)
    expect(await backoff).toMatchObject({ failure: 'unresponsive' })
    await ready
    expect(isAlive(pid)).toBe(false)
    expect(await (await fetch(made.url!)).text()).toBe('ok')
    expect(made.log.lines()).toEqual([
      'fixture is restarted: it failed its probe 3 times in a row, at last with: no answer within 0.4 s',
    ])
  })

  it('restarts one that answers that it does not work, not one that works again after a moment', async () => {
    const probe: ServiceSpec['probe'] = async (url) => {
      const answer = await fetch(url)
      if (!answer.ok) throw new Error(await answer.text())
      return true
    }
    const made = service('none', { probe, watch: { everyMs: 50, timeoutMs: 5000, failures: 3 } })
    const url = await made.start()
    const backoff = reached(made, 'backoff')
    await fetch(`${url}/unwell2`)
    await expect.poll(async () => (await fetch(url)).status, { timeout: 5000 }).toBe(200)
    expect(made.state.name).toBe('ready')
    await fetch(`${url}/unwell1000`)
    expect(await backoff).toMatchObject({ failure: 'unresponsive' })
    expect(made.log.lines()[0]).toMatch(/3 times in a row, at last with: the voice is gone$/)
  })

  it('leaves no grandchild running', async () => {
    const made = service('grandchild')
    await made.start()
    const grandchild = await pidOf('grandchild')
    expect(isAlive(grandchild)).toBe(true)
    await made.stop()
    await expect.poll(() => isAlive(grandchild), { timeout: 5000 }).toBe(false)
  })

  it('keeps the last lines of a flood', async () => {
    const made = service('flood')
    await made.start()
    await expect.poll(() => made.log.lines().at(-1), { timeout: 10_000 }).toBe('noise 19999')
    expect(made.log.lines()).toHaveLength(200)
  })
})
