import { arePagesStale, buildPages } from '../../build/build-pages.ts'

/** Builds the pages where they are older than their sources. Throws with what the build printed. */
export async function currentPages(): Promise<void> {
  if (!arePagesStale()) return
  const build = await buildPages()
  if (!build.ok) throw new Error(`pages and shell do not build\n${build.output}`)
}
