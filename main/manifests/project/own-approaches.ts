// A project may come from anyone: what its own approaches run or call, a person allows file by file, as it is now. Decision 226.
import { resolve } from 'node:path'
import { readOwnApproaches } from '../../../core/own-approaches/read-approaches.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { isHttpApproach, variablesIn } from '../../../contract/manifests/own-approaches.ts'
import { trustedDigests } from '../../lib/trust/trusted-files.ts'
import type { Experiment } from '../experiment.ts'
import { remedyFor } from '../../../core/remedy.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** SHA-256 of each file that is allowed, as the platform gets them. */
export const trustedApproaches = (root: string, env: Environment): string[] =>
  trustedDigests(
    readOwnApproaches(root).usable.map(({ file }) => resolve(root, file)),
    env,
  )

/** Variables that the allowed files name: the platform gets their values, also those that are keys. */
export function variablesOfApproaches(root: string, env: Environment): string[] {
  const trusted = trustedApproaches(root, env)
  return readOwnApproaches(root).usable.flatMap(({ approach, digest }) => {
    if (!trusted.includes(digest)) return []
    return isHttpApproach(approach) ? Object.values(approach.headers).flatMap(variablesIn) : approach.env
  })
}

/** Why a run cannot ask the own approaches that it names: they answer in the embedded platform, and only when they are allowed. */
export function ownApproachRefusals(
  { root, ownApproaches }: Pick<Experiment, 'root' | 'ownApproaches'>,
  aliases: readonly Alias[],
  elsewhere: string | null,
): string[] {
  const files = ownApproaches.usable.filter(({ name }) =>
    aliases.some(({ alias, base }) => alias === name && base === 'own-approach'),
  )
  if (elsewhere !== null)
    return files.map(
      ({ name }) => `${name} is asked by the embedded platform, and ${elsewhere} answers here: leave one of them out`,
    )
  const trusted = trustedDigests(files.map(({ file }) => resolve(root, file)))
  return files
    .filter(({ digest }) => !trusted.includes(digest))
    .map(
      ({ name, file }) =>
        `${name}: ${file} names what is run or called, and you have not allowed it as it is now. Read it, then${remedyFor({ panel: ' allow it in New run, step Approaches', commandLine: `: rag-ladder trust ${resolve(root, file)}` })}`,
    )
}
