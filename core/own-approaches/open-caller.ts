// Opens what answers for an own approach. Apart from its files: whoever only reads them loads no HTTP client.
import { resolve } from 'node:path'
import { isHttpApproach } from '../../contract/manifests/own-approaches.ts'
import { openHttpCaller } from './http-caller.ts'
import type { OwnCaller } from './own-reply.ts'
import { openProgramCaller } from './program-caller.ts'
import type { OwnApproachFile } from './read-approaches.ts'

/** The person must have allowed the file. */
export function openOwnCaller(
  { approach, name, program }: OwnApproachFile,
  place: { root: string; logFolder: string; env: Readonly<Record<string, string | undefined>> },
): OwnCaller & { lastBody?: () => unknown } {
  if (isHttpApproach(approach)) return openHttpCaller(approach, place.env)
  return openProgramCaller(approach, {
    folder: place.root,
    program,
    env: place.env,
    logFile: resolve(place.logFolder, `${name}.log`),
  })
}
