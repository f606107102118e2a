import { z } from 'zod'
import { SecretName } from './control/settings.ts'

/** Describes what the pages may know of the desktop app around them. */
export const DesktopInfo = z.strictObject({
  platform: z.string(),
  version: z.string(),
  /** Folder of the open project. */
  project: z.string(),
  /** True when tokens that are set here survive a restart: the system has a secret store, and it works. */
  keeps_secrets: z.boolean(),
  /** Tokens that are kept there: the engine gets them whenever it starts. */
  kept_secrets: z.array(SecretName),
})
export type DesktopInfo = z.infer<typeof DesktopInfo>

/** Null when the person cancelled; otherwise the project that is open now. */
const ProjectChoice = z.string().nullable()

/** Folders that can be shown in the system's file manager. */
export const RevealedFolder = z.enum(['project', 'results', 'published'])
export type RevealedFolder = z.infer<typeof RevealedFolder>

/** Every call that a page may make of the shell. Data does not pass here: it comes from the control API. */
export const DESKTOP_CALLS = {
  'desktop.describe': { input: z.undefined(), output: DesktopInfo },
  'project.choose': { input: z.undefined(), output: ProjectChoice },
  /** A document that the person dropped or chose, by its path on disk. */
  'document.open': { input: z.string().min(1).max(32_768), output: z.undefined() },
  'folder.reveal': { input: RevealedFolder, output: z.undefined() },
} as const
export type DesktopCall = keyof typeof DESKTOP_CALLS

/** Describes what the preload script puts on `window.ragLadderDesktop`; absent in a browser. */
export interface DesktopBridge {
  describe(): Promise<DesktopInfo>
  chooseProject(): Promise<string | null>
  /** Opens a `File` that the person dropped or chose in the program that the system has for it. Rejects for files that are not on disk. */
  openOriginal(file: object): Promise<void>
  reveal(folder: RevealedFolder): Promise<void>
}
