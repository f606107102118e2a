import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { paceExchange } from '../../../core/http/pace-exchange.ts'
import { notifyPauses } from './notify-pauses.ts'

it('a pause that a service asks for is reported once, with its address, and a short one is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paces-'))
  const notify = vi.fn()
  const end = notifyPauses(folder, notify)
  try {
    paceExchange(folder, 'http://127.0.0.1:2').report({ pauseMs: 1500, places: 1 })
    const exchange = paceExchange(folder, 'http://127.0.0.1:1')
    exchange.report({ pauseMs: 40_400, places: 1 })
    await vi.waitFor(() => expect(notify).toHaveBeenCalled(), 5000)
    expect(notify.mock.calls).toEqual([
      [expect.stringMatching(/^waits (?:40|39)\.\d s: the service at http:\/\/127\.0\.0\.1:1 limits its calls$/)],
    ])
    exchange.report({ pauseMs: 60_000, places: 1 })
    await vi.waitFor(() => expect(notify).toHaveBeenCalledTimes(2), 5000)
  } finally {
    end()
    await rm(folder, { recursive: true })
  }
})
