import { ipcMain } from 'electron'
import type { z } from 'zod'
import { DESKTOP_CALLS, type DesktopCall } from '../../contract/desktop.ts'
import { isOwnPage } from './containment.ts'

type DesktopHandlers = {
  [Call in DesktopCall]: (
    input: z.infer<(typeof DESKTOP_CALLS)[Call]['input']>,
  ) => Promise<z.infer<(typeof DESKTOP_CALLS)[Call]['output']>>
}

/** Answers the pages' calls: sender checked, input and output as the contract defines. */
export function registerDesktopCalls(handlers: DesktopHandlers): void {
  for (const name of Object.keys(DESKTOP_CALLS) as DesktopCall[]) {
    const { input: inputSchema, output: outputSchema } = DESKTOP_CALLS[name]
    const handler = handlers[name] as (input: unknown) => Promise<unknown>
    ipcMain.handle(name, async (event, input: unknown) => {
      if (!isOwnPage(event.senderFrame)) throw new Error(`${name} is not for this page`)
      return outputSchema.parse(await handler(inputSchema.parse(input)))
    })
  }
}
