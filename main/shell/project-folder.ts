import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** The project that was open last. */
export const LastProject = z.strictObject({ folder: z.string().min(1) })

interface ProjectChoices {
  /** The folder given by argument or environment. */
  named: string | null
  last: string | null
  /** States where one is created when there is none. */
  usual: string
}

/** Returns true when a folder holds an experiment. */
export const isProject = (folder: string): boolean => existsSync(join(folder, 'manifests', 'consumer.yaml'))

/** The project to open: the named one, else the last one if it exists, else the default one. */
export function chooseProject({ named, last, usual }: ProjectChoices): string {
  if (named !== null) return resolve(named)
  return last !== null && isProject(last) ? last : usual
}
