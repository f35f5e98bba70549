"""The page itself, and its files: they are those of the wheel and the same for everybody."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from holdfast.server.dashboard.files import PAGE, static_files

STATIC = "/dashboard/static/"


def page(request: Request, status: int = 200) -> Response:
    """The page, which has nothing of the app in it: what it shows it asks for."""
    return _file(PAGE, request, status)


async def static(request: Request) -> Response:
    """`GET /dashboard/static/{file}`: a file of the page; those are of the wheel and the same for everybody."""
    request.scope["holdfast.route"] = f"{STATIC}{{file}}"
    return _file(request.path_params["file"], request, 200)


def _file(path: str, request: Request, status: int) -> Response:
    found = static_files().get(path)
    if found is None:
        return Response(status_code=404)
    if request.headers.get("if-none-match") == found.tag and status == 200:
        return Response(status_code=304, headers=found.headers)
    challenge = {"WWW-Authenticate": 'Bearer realm="holdfast"'} if status == 401 else {}
    return Response(found.content, status, {**found.headers, **challenge}, found.media_type)
