import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VARIABLES } from '../settings/variables.ts'
import { serviceDescriptor, SERVICE_NAMES } from './service-list.ts'

const ROOT = join(import.meta.dirname, '../..')
const AREAS = ['bin', 'charts', 'contract', 'core', 'main', 'preload', 'providers', 'renderer']

describe('service descriptors', () => {
  it('every local service has a folder to start, declared variables, and needs services of the list only', () => {
    for (const name of SERVICE_NAMES) {
      const { child } = serviceDescriptor(name)
      if (child === undefined) continue
      expect(existsSync(join(ROOT, `providers/${name}/main.ts`)), name).toBe(true)
      const { portVariable, portSetting, tokenVariable, endpointVariable, needs } = child
      for (const variable of [portVariable, portSetting, tokenVariable, endpointVariable])
        expect(Object.keys(VARIABLES), `${name}: ${variable}`).toContain(variable)
      for (const other of needs) expect(SERVICE_NAMES).toContain(other)
    }
  })

  it('no product file other than the descriptors lists the services', () => {
    const files = globSync(`{${AREAS.join(',')}}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !/\.test\.tsx?$/.test(file))
    expect(files.length).toBeGreaterThan(300)
    const listing = files.filter((file) => {
      // A call names the one service that it is for.
      const text = readFileSync(join(ROOT, file), 'utf8').replace(/(?:callService|serviceUrl)\('[a-z-]+'/g, '')
      const local = SERVICE_NAMES.filter((name) => serviceDescriptor(name).child !== undefined)
      return local.filter((name) => new RegExp(`'${name}'|^ *${name}: [^{]`, 'm').test(text)).length > 1
    })
    expect(listing.sort()).toEqual([
      'contract/control/service-list.ts',
      // Whose variable each is.
      'contract/settings/service-variables.ts',
      // Which services read a corpus, under their names in provenance.
      'main/manifests/models/provider-selection.ts',
    ])
  })
})
