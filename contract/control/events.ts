import { z } from 'zod'
import { RunEvent } from '../evidence/run-event.ts'
import { InputProblem } from './control-error.ts'
import { RunJob } from './run-job.ts'
import { IndexChange } from './run-index/upkeep.ts'

const sequence = z.int().min(0)

/** The state of the run index as a whole. */
export const IndexState = z.enum(['opening', 'ready', 'rebuilding', 'failed'])
export type IndexState = z.infer<typeof IndexState>

/** Everything that happens in the engine: the events of runs, and those of services, index and settings. */
export const ControlEvent = z.discriminatedUnion('type', [
  ...RunEvent.options,
  /** First on each stream: which engine speaks, and the newest number that it has given out. */
  z.strictObject({ type: z.literal('stream.opened'), engine_id: z.string(), newest: sequence }),
  /** Events that the client asked for are no longer there, or were another engine's: read everything again. */
  z.strictObject({
    type: z.literal('stream.gap'),
    reason: z.enum(['too_old', 'other_engine']),
    missed: sequence.nullable(),
  }),
  /** State or request of a run changed; cells have their own events. */
  z.strictObject({ type: z.literal('run.changed'), job: RunJob }),
  z.strictObject({ type: z.literal('index.changed'), change: IndexChange }),
  z.strictObject({ type: z.literal('index.state'), state: IndexState, message: z.string().nullable() }),
  /** A manifest was edited. Problems are those of the file that cannot be used; none when all can. */
  z.strictObject({
    type: z.literal('experiment.changed'),
    file: z.string().nullable(),
    problems: z.array(InputProblem),
  }),
])
export type ControlEvent = z.infer<typeof ControlEvent>

/** An event with its number, which grows by one within an engine's life. `stream.*` repeat the number of the event before them. */
export const SequencedEvent = z.strictObject({ seq: sequence, at: z.iso.datetime(), event: ControlEvent })
export type SequencedEvent = z.infer<typeof SequencedEvent>

/** Absent: only what happens from now on. `after: 0`: everything that is still kept. */
export const EventsInput = z.strictObject({
  after: sequence.optional(),
  /** From `stream.opened`: the numbers of another engine mean nothing to this one. */
  engine_id: z.string().max(64).optional(),
  /** Only what cannot name an approach: for pages on which a person votes blindly. */
  blind: z.boolean().default(false),
})

/** Returns true when an event is of a kind that never names an approach. */
export const isBlindEvent = ({ type }: ControlEvent): boolean =>
  ['stream.opened', 'stream.gap', 'index.changed', 'index.state', 'service.changed'].includes(type)
