import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunState } from '../../../contract/control/run-job.ts'
import { isUnderWay } from '../../../core/evidence/run-fold.ts'
import { isResumable, nextRunState, type RunCommand } from './run-state.ts'

const COMMANDS: RunCommand[] = [
  'begin',
  'pause',
  'cancel',
  'resume',
  'dismiss',
  'engine_gone',
  'completed',
  'failed',
  'stopped',
]
const after = (...commands: RunCommand[]): RunState | null =>
  commands.reduce<RunState | null>((state, command) => (state === null ? null : nextRunState(state, command)), 'queued')

describe('nextRunState', () => {
  it.each<[RunState, RunCommand[]]>([
    ['completed', ['begin', 'completed']],
    ['paused', ['begin', 'pause', 'stopped']],
    ['running', ['begin', 'pause', 'stopped', 'resume', 'begin']],
    // All cells were made before the pause took hold.
    ['completed', ['begin', 'pause', 'completed']],
    ['cancelled', ['begin', 'cancel', 'stopped']],
    // The error of an aborted step is the cancellation, not a failure of its own.
    ['cancelled', ['begin', 'cancel', 'failed']],
    ['interrupted', ['begin', 'engine_gone']],
    ['queued', ['begin', 'engine_gone', 'resume']],
    ['cancelled', ['begin', 'engine_gone', 'dismiss']],
    ['interrupted', ['begin', 'stopped']],
  ])('%s after %j', (state, commands) => expect(after(...commands)).toBe(state))

  it('a command that the state does not allow is refused', () => {
    expect(nextRunState('completed', 'resume')).toBeNull()
    expect(nextRunState('running', 'resume')).toBeNull()
    expect(nextRunState('queued', 'completed')).toBeNull()
    expect(nextRunState('cancelling', 'pause')).toBeNull()
  })

  it('after any commands, the end of the engine leaves a run completed or resumable', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...COMMANDS), { maxLength: 12 }), (commands) => {
        let state: RunState = 'queued'
        for (const command of commands) state = nextRunState(state, command) ?? state
        const reopened = nextRunState(state, 'engine_gone') ?? state
        expect(isUnderWay(reopened)).toBe(false)
        expect(reopened === 'completed' || isResumable(reopened)).toBe(true)
      }),
    )
  })
})
