import { createInterface } from 'node:readline/promises'
import type { DeletionList, PublicationChange } from '../../contract/control/run-job.ts'
import { TRASH_DAYS } from '../lib/files/trash.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { describePublication, replacements } from '../report/publication/publication-change.ts'
import { plural } from '../../contract/words.ts'
import { describeDeletions, mustConfirm, rowsIn } from '../runner/reset/cold-reset.ts'
import { refusedPublications, type RunEffects } from '../runner/reset/run-effects.ts'

/** Asks a question at the terminal. */
export type Ask = (text: string) => Promise<string>

/** Asks the person at the terminal; null where no person is at the terminal. */
export function questioner(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Ask | null {
  if (!input.isTTY || !output.isTTY) return null
  return async (text) => {
    const lines = createInterface({ input, output })
    try {
      return await lines.question(text)
    } finally {
      lines.close()
    }
  }
}

interface Announcement {
  runId: string
  effects: RunEffects
  /** Typed on the command line by the person, not a default. */
  isResetOrdered: boolean
  isPublishOrdered: boolean
  /** Null where no person is at the terminal. */
  ask: Ask | null
  notify: (message: string) => void
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

async function announceDeletions({ runId, effects, isResetOrdered, ask, notify }: Announcement): Promise<void> {
  const { deletions } = effects
  if (!mustConfirm(deletions)) return
  const what = [
    `The cold reset of run ${runId} moves ${plural(rowsIn(deletions), 'finished answer')} and these files to the trash:`,
    ...describeDeletions(deletions),
    `"rag-ladder trash list" shows them for ${TRASH_DAYS} days. --no-cold-reset keeps them and makes only what is missing.`,
  ].join('\n')
  if (isResetOrdered || ask === null) notify(what)
  else if (!isYes(await ask(`${what}\nMove them to the trash? [y/N] `)))
    throw new InputError(['nothing was removed: give --no-cold-reset to resume this run'])
}

/** Shows what publishing replaces, and asks where a person is at the terminal and has not confirmed by an option. Throws `InputError`. */
export async function announceReplacements(
  changes: readonly PublicationChange[],
  isOrdered: boolean,
  ask: Ask | null,
  notify: (message: string) => void,
): Promise<void> {
  const replaced = replacements(changes)
  if (replaced.length === 0) return
  const what = [
    'Publishing replaces results in docs/results:',
    ...replaced.map((each) => `  ${describePublication(each)}`),
  ]
  const isNarrower = replaced.some(({ lost }) => lost.length > 0)
  if (ask !== null && !isOrdered) {
    if (isYes(await ask(`${what.join('\n')}\nReplace them? [y/N] `))) return
    throw new InputError(['nothing was started: give --no-publish to run without publishing'])
  }
  if (!isOrdered && isNarrower)
    throw new InputError([
      `${what.join('\n')}\ngive --publish to replace them, or --no-publish to run without publishing`,
    ])
  notify(what.join('\n'))
}

/**
 * Shows what a run is about to delete and to replace, before it does; asks where a person is at the terminal and has not confirmed by an option. Returns the
 * deletions that were shown: the reset deletes nothing else. Throws `InputError` when they do not agree, or when publishing is refused.
 */
export async function announceEffects(announcement: Announcement): Promise<DeletionList[]> {
  const { effects, isPublishOrdered, ask, notify } = announcement
  const refused = refusedPublications(effects)
  if (refused.length > 0) throw new InputError(refused)
  await announceDeletions(announcement)
  await announceReplacements(effects.publications, isPublishOrdered, ask, notify)
  return effects.deletions
}
