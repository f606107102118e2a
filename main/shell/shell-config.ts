import { join } from 'node:path'
import { parseArgs } from 'node:util'

type Environment = Readonly<Record<string, string | undefined>>

/** How this start of the app differs from the usual one. */
export interface ShellConfig {
  /** Project that was named by argument or environment. */
  project: string | null
  /** A Node to start the children with, instead of the app's own; needed where the app's is too old for them. */
  engineNode: string | null
  /** An engine that runs elsewhere, for work on the pages and their specs. Never in a package. */
  outerEngine: { url: string; token: string } | null
  /** Server that builds the pages as they change. Never in a package. */
  devServer: string | null
}

const textOf = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text)

/** Reads arguments and environment; what only serves development is not read in a package. */
export function readShellConfig(args: string[], env: Environment, isPackaged: boolean): ShellConfig {
  // Chromium's own switches come along; they are none of ours.
  const { values } = parseArgs({ args, options: { project: { type: 'string' } }, strict: false })
  const url = isPackaged ? null : textOf(env['RAG_LADDER_ENGINE_URL'])
  return {
    project: textOf(typeof values.project === 'string' ? values.project : env['RAG_LADDER_PROJECT']),
    engineNode: textOf(env['RAG_LADDER_ENGINE_NODE']),
    outerEngine: url === null ? null : { url, token: env['RAG_LADDER_ENGINE_TOKEN'] ?? '' },
    devServer: isPackaged ? null : textOf(env['ELECTRON_RENDERER_URL']),
  }
}

/** Files that the app keeps for itself in its folder of the user's data. */
export const ownFiles = (userData: string) => ({
  window: join(userData, 'window.json'),
  project: join(userData, 'project.json'),
  secrets: join(userData, 'secrets.json'),
})
