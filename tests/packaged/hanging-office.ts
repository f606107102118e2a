import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A program in LibreOffice's place that never ends. */
export interface HangingOffice {
  program: string
  /** Of the one that was started last. Throws when none was. */
  pid(): Promise<number>
}

export async function hangingOffice(folder: string): Promise<HangingOffice> {
  const [program, note] = [join(folder, 'hanging-office'), join(folder, 'hanging-office.pid')]
  await writeFile(program, `#!/bin/sh\necho $$ > '${note}'\nwhile :; do sleep 1000; done\n`)
  await chmod(program, 0o755)
  return { program, pid: async () => Number(await readFile(note, 'utf8')) }
}
