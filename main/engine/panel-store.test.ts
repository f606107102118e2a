import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { PanelStore } from './panel-store.ts'

async function stateFile(): Promise<string> {
  const folder = await temporaryFolder('panel-state')
  return join(folder, 'panel.json')
}

const noWarning = (message: string): never => {
  throw new Error(message)
}

it('the panel of a new project has not shown its tour, and remembers across engines that it has', async () => {
  const file = await stateFile()
  const store = await PanelStore.open(file, noWarning)
  expect(store.state).toEqual({ tour_seen: false })
  await Promise.all([store.save({ tour_seen: false }), store.save({ tour_seen: true })])
  expect(store.state).toEqual({ tour_seen: true })
  expect((await PanelStore.open(file, noWarning)).state).toEqual({ tour_seen: true })
})

it.each(['{"tour_seen":"yes"}', 'no JSON', '{"other":1}'])('a state file that holds %s is reported', async (text) => {
  const file = await stateFile()
  await writeFile(file, text)
  const warnings: string[] = []
  const store = await PanelStore.open(file, (message) => warnings.push(message))
  expect(store.state).toEqual({ tour_seen: false })
  expect(warnings).toEqual([`${file} holds no panel state of this version: the panel starts as in a new project.`])
})
