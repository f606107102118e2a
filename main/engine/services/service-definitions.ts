import { existsSync } from 'node:fs'
import { SERVICES, type LocalServiceName, type ServiceChild } from '../../../contract/control/service-list.ts'
import { moduleFile } from '../../lib/module-entry.ts'

/** A service beside the platform with the module to run. */
export interface ServiceDefinition extends ServiceChild {
  name: LocalServiceName
  needs: readonly LocalServiceName[]
  /** Without this file the installation does not have the service. */
  entry: string
}

const definitionOf = (name: LocalServiceName): ServiceDefinition => ({
  name,
  entry: moduleFile(`../../../providers/${name}/main`, import.meta.url),
  ...SERVICES[name].child,
})

const LOCAL_SERVICES = Object.entries(SERVICES).flatMap(([name, service]) =>
  'child' in service ? [name as LocalServiceName] : [],
)

/** The services beside the platform that this installation has; the others are shown as absent and cannot be started. */
export const installedServices = (): ServiceDefinition[] =>
  LOCAL_SERVICES.map(definitionOf).filter(({ entry }) => existsSync(entry))
