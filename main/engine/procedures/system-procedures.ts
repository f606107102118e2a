import { withEventMeta } from '@orpc/server'
import { isBlindEvent, type SequencedEvent } from '../../../contract/control/events.ts'
import type { SystemStatus } from '../../../contract/control/system.ts'
import { ControlFailure } from '../control-failure.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { FollowFrom } from '../event-hub.ts'
import { control, untilEither, withControlErrors } from './control-api.ts'

/** `<engine>:<number>`: what a client that reconnects by itself sends back. */
const idOf = (engineId: string, seq: number): string => `${engineId}:${seq}`

function fromEventId(id: string | undefined): FollowFrom | null {
  const [, engineId, seq] = /^([\w-]{1,64}):(\d{1,15})$/.exec(id ?? '') ?? []
  return engineId === undefined ? null : { engineId, after: Number(seq) }
}

async function statusOf({
  config,
  startedAt,
  hub,
  experiment,
  runs,
  services,
  index,
}: EngineParts): Promise<SystemStatus> {
  // A look at the manifests, so that the status shows an edit that no run has used yet.
  const loaded = await experiment.current().catch(() => null)
  const [views, status] = await Promise.all([services.list(), index.statusOrNull()])
  return {
    engine_id: hub.engineId,
    version: config.version,
    started_at: startedAt,
    pid: process.pid,
    node: process.versions.node,
    rss_bytes: process.memoryUsage.rss(),
    seq: hub.newest,
    project: { name: loaded?.consumer.project ?? null, root: config.root, results: config.resultsDir },
    experiment: experiment.health,
    active: runs.active,
    queued: runs.queued(),
    services: views,
    index: { ...index.state, status },
  }
}

export function systemProcedures(parts: EngineParts) {
  const { hub, stopping, report, newLink } = parts
  async function* events(from: FollowFrom, blind: boolean, signal: AbortSignal): AsyncGenerator<SequencedEvent> {
    for await (const event of hub.follow(from, signal))
      if (!blind || isBlindEvent(event.event)) yield withEventMeta(event, { id: idOf(hub.engineId, event.seq) })
  }
  return {
    status: control.system.status.handler(() => statusOf(parts)),
    events: control.system.events.handler(({ input, signal, lastEventId }) => {
      const asked = {
        ...(input.after === undefined ? {} : { after: input.after }),
        ...(input.engine_id === undefined ? {} : { engineId: input.engine_id }),
      }
      return withControlErrors(
        events(fromEventId(lastEventId) ?? asked, input.blind, untilEither(signal, stopping)),
        report,
      )
    }),
    browserLink: control.system.browserLink.handler(({ context }) => {
      if (context.caller !== 'host')
        throw new ControlFailure('forbidden', 'only the program that started the engine can ask for a link')
      const { url, expiresAt } = newLink()
      return { url, expires_at: new Date(expiresAt).toISOString() }
    }),
    endSessions: control.system.endSessions.handler(() => parts.sessions.endAll()),
  }
}
