"""The query server: stores over HTTP, the app's own routes, and a page for people."""
