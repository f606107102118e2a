import { Button, CloseButton, createTheme, Drawer, MantineProvider, Modal, Tooltip } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryClient } from '../data/query-client.ts'
import { usePreferences } from '../stores/preferences.ts'
import { router } from './router.tsx'
import { SHELL_WORDS } from './shell-words.ts'

/** Everything around the pages. */
export function App() {
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

/**
 * Behaviour of the components. Colours, sizes and radii are in base.css: Mantine would write them into a `<style>` element, which the
 * content-security policy forbids.
 */
/** Of dialogs and notifications: an icon alone has no name. */
const NAMED_CLOSE = { 'aria-label': SHELL_WORDS.close }

const theme = createTheme({
  primaryColor: 'blue',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs' } }),
    CloseButton: CloseButton.extend({ defaultProps: NAMED_CLOSE }),
    // Scroll locking writes a `<style>` element as well.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, transitionProps: { duration: 120 } } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 350, transitionProps: { duration: 100 } } }),
  },
})
