import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'
import type { PluginList } from '../../../../contract/http/platform.ts'
import type { PluginRouter } from '../../../../contract/manifests/plugin.ts'
import { messageOf } from '../../../../core/json.ts'
import { PlatformConfigError } from '../config.ts'
import type { DeclaredPlugin } from './read-plugins.ts'

/** Describes what a plugin is given. */
export interface PluginContext {
  /** A declared environment variable; null when unset or empty. Throws for one that its manifest does not declare. */
  variable: (name: string) => string | null
  /** Asks an alias in this process, as the gateway does. */
  answer: (alias: string, question: string, signal?: AbortSignal) => Promise<ChatCompletion>
}

/** Of the entry of a plugin. `routers` by prefix: what is registered there is below that prefix, and must be declared. */
export type RegisterPlugin = (
  routers: ReadonlyMap<string, FastifyInstance>,
  context: PluginContext,
) => void | Promise<void>

export interface MountDeps {
  app: FastifyInstance
  plugins: readonly DeclaredPlugin[]
  variable: (name: string) => string | undefined
  answer: PluginContext['answer']
}

/**
 * Imports the plugins that may run and mounts each of their routers under its prefix. Throws `PlatformConfigError` where a plugin cannot be imported, registers a route that
 * its manifest does not declare, or declares one that it does not register.
 */
export async function mountPlugins({ app, plugins, variable, answer }: MountDeps): Promise<void> {
  for (const { manifest, file, isAllowed } of plugins) {
    if (!isAllowed) continue
    const register = await entryOf(file)
    const context: PluginContext = {
      variable(name) {
        if (!manifest.env.includes(name)) throw new Error(`the plugin ${manifest.name} does not declare ${name}`)
        return variable(name)?.trim() || null
      },
      answer,
    }
    const routers = new Map<string, FastifyInstance>()
    const registered = new Set<string>()
    try {
      await app.register(async (scope) => {
        for (const { prefix } of manifest.routers)
          await scope.register(
            async (router) => {
              router.addHook('onRoute', ({ method, url }) => {
                for (const each of [method].flat()) registered.add(`${each} ${url}`)
              })
              routers.set(prefix, router)
            },
            { prefix },
          )
        await register(routers, context)
      })
    } catch (error) {
      throw new PlatformConfigError([`plugin ${manifest.name}: ${messageOf(error)}`])
    }
    const missing = manifest.routers.flatMap(routesOf).filter((route) => !registered.has(route))
    if (missing.length > 0)
      throw new PlatformConfigError([`plugin ${manifest.name}: declared but not registered: ${missing.join(', ')}`])
  }
}

const routesOf = ({ prefix, routes }: PluginRouter): string[] =>
  routes.map((route) => {
    const [method, path] = route.split(' ') as [string, string]
    return `${method} ${prefix}${path}`
  })

async function entryOf(file: string): Promise<RegisterPlugin> {
  let module: { registerPlugin?: unknown }
  try {
    module = (await import(pathToFileURL(file).href)) as { registerPlugin?: unknown }
  } catch (error) {
    throw new PlatformConfigError([`${file}: cannot be imported: ${messageOf(error)}`])
  }
  if (typeof module.registerPlugin !== 'function')
    throw new PlatformConfigError([`${file}: exports no function registerPlugin`])
  return module.registerPlugin as RegisterPlugin
}

/** The rows of `GET /plugins` for further plugins, one per router. */
export function furtherPlugins(
  plugins: readonly DeclaredPlugin[],
  variable: (name: string) => string | undefined,
): PluginList['plugins'] {
  return plugins.flatMap(({ manifest, isAllowed }) =>
    manifest.routers.map(({ prefix, auth }) => ({
      name: manifest.name,
      route_prefix: prefix,
      auth,
      env: Object.fromEntries(
        manifest.env.map((name) => [name, (variable(name) ?? '') === '' ? null : ('***' as const)]),
      ),
      status: isAllowed ? ('loaded' as const) : ('skipped' as const),
      reason: isAllowed ? null : 'PLATFORM_PLUGINS does not name it',
    })),
  )
}
