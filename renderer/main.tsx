import './data/page-key.ts'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './app/base.css'
import { Button, CloseButton, createTheme, MantineProvider, Modal, Progress, Select, Tooltip } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { controlErrorOf } from '../contract/control/control-error.ts'
import { router } from './app/router.tsx'
import { SHELL_WORDS } from './app/shell-words.ts'
import { mutationCache } from './data/mutation-effects.ts'
import { usePreferences } from './stores/preferences.ts'

/** Events keep the cache fresh, so that nothing is fetched again on a timer; only a silent engine is asked twice more. */
const queryClient = new QueryClient({
  mutationCache,
  defaultOptions: {
    // The engine is on this machine: a browser without a network must neither wait for one nor put off what a person does.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && controlErrorOf(error).code === 'unreachable',
    },
  },
})

/** Everything around the pages. */
function App() {
  const density = usePreferences((state) => state.density)
  useEffect(() => {
    document.documentElement.dataset.density = density
  }, [density])
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}

/** Of dialogs and notifications: an icon alone has no name. */
const NAMED_CLOSE = { 'aria-label': SHELL_WORDS.close }

/**
 * Behaviour of the components. Colours, sizes and radii are in base.css: Mantine would write them into a `<style>` element, which the
 * content-security policy forbids.
 */
const theme = createTheme({
  primaryColor: 'blue',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The one action of a page is filled; other buttons weigh less.
    Button: Button.extend({ defaultProps: { size: 'xs', variant: 'default' } }),
    Progress: Progress.extend({ defaultProps: { transitionDuration: 100 } }),
    // Where a choice can be empty, it has a button for that.
    Select: Select.extend({ defaultProps: { allowDeselect: false } }),
    CloseButton: CloseButton.extend({ defaultProps: NAMED_CLOSE }),
    // Scroll locking writes a `<style>` element as well.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, transitionProps: { duration: 120 } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 350, transitionProps: { duration: 100 } } }),
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
