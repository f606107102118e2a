import { serviceDescriptor, SERVICE_NAMES, type ServiceName } from '../control/service-list.ts'

const SERVICE_TITLES = Object.fromEntries(SERVICE_NAMES.map((name) => [name, serviceDescriptor(name).title])) as Record<
  ServiceName,
  string
>

/** Programs that read a variable, in the order of the generated page. */
export const PROGRAMS = {
  runner: 'Runs: command line and control panel',
  app: 'Command line, engine and desktop app',
  ...SERVICE_TITLES,
  models: 'Model downloads (converter, speech to text, text to speech)',
  internal: 'Set by the program itself for its child processes',
} as const
export type Program = keyof typeof PROGRAMS

export interface Variable {
  by: Program
  /** Holds what the value looks like. */
  form: string
  /** The value that an unset variable has; null where there is none or where it is computed, which `what` then explains. */
  default: string | null
  /** One or two sentences: what it sets. */
  what: string
  /** Field of the control panel's settings or name of its token that replaces it there. */
  setting?: string
  /** Option of the command line that replaces it. */
  option?: string
  /** A credential: never printed, logged or stored in artifacts. */
  isSecret?: true
}

/** Forms that several variables share. */
export const LIST = 'list, separated by commas'
export const PATH = 'path'
export const URL_FORM = 'http or https address'
export const SECONDS = 'whole seconds, 1 to 3600'
export const PORT = 'port, 0 for any free one'
export const LEVEL = 'fatal, error, warn, info, debug, trace or silent'
export const SERVICE_LEVEL = 'error, warn, info, debug or silent'
export const AUTH = 'required or disabled'
export const BYTES = 'bytes'
/** Services keep an upload in memory. */
export const UPLOAD_BYTES = 'bytes, at most 1073741824'
export const TOKEN = 'token'
export const MIB = 1024 * 1024
