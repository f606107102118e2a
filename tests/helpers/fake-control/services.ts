import type { ServiceView } from '../../../contract/control/index.ts'

const serviceView = (part: Partial<ServiceView> & Pick<ServiceView, 'name' | 'state'>): ServiceView => ({
  ...{ detail: null, url: null, used_by: null, profile: null, pid: null, since: null, restarts: 0, last_exit: null },
  ...{ usage: null, settings: {}, can: { start: true, stop: false, restart: false } },
  ...part,
})

/** One service of each kind of state. */
export function startServices(): ServiceView[] {
  const since = '2026-11-20T09:00:00.000Z'
  return [
    serviceView({
      ...{
        name: 'platform',
        state: 'ready',
        url: 'http://127.0.0.1:41200',
        used_by: 'panel',
        profile: 'smoke',
        pid: 4100,
        since,
      },
      usage: { rss_bytes: 212_000_000, cpu_percent: 3.2 },
      settings: { model_set: 'builtin' },
      can: { start: false, stop: true, restart: true },
    }),
    serviceView({ name: 'converter', state: 'idle' }),
    serviceView({
      ...{ name: 'stt', state: 'failed', detail: 'gave up after 5 starts: model folder not found', restarts: 5 },
      last_exit: { at: since, code: 1, signal: null },
    }),
    serviceView({
      name: 'tts',
      state: 'absent',
      detail: 'not part of this installation',
      can: { start: false, stop: false, restart: false },
    }),
  ]
}
