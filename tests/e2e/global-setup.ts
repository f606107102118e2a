import { SEED_VARIABLE } from '../helpers/panel-page.ts'
import { eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { removeProject, seededProject } from '../helpers/seeded-project.ts'

/** Makes the project folder that the page specs copy, with its index, once for all workers; the returned function removes it. */
export default async function seedSpecs(): Promise<() => Promise<void>> {
  const root = await seededProject()
  const engine = await startEngine(root)
  await eventsUntil(engine.client, { after: 0 }, (event) => event.type === 'index.state' && event.state === 'ready')
  await engine.stop()
  process.env[SEED_VARIABLE] = root
  return () => removeProject(root)
}
